/* thunk_list_display.h - the same as thunk_list.h, of the slots about displays. */
THUNK(IsSupportedVidPn, DXGKARG_ISSUPPORTEDVIDPN, PASSIVE_LEVEL, host_mix(c, !!a->hDesiredVidPn),
      host_mix(c, a->IsVidPnSupported))
THUNK(EnumVidPnCofuncModality, const DXGKARG_ENUMVIDPNCOFUNCMODALITY, PASSIVE_LEVEL,
      host_mix(c, (uint32_t)a->EnumPivotType), NOTHING)
THUNK(CommitVidPn, const DXGKARG_COMMITVIDPN, PASSIVE_LEVEL, host_mix(c, a->AffectedVidPnSourceId),
      NOTHING)
THUNK(SetVidPnSourceVisibility, const DXGKARG_SETVIDPNSOURCEVISIBILITY, PASSIVE_LEVEL,
      host_mix2(c, a->VidPnSourceId, a->Visible), NOTHING)
THUNK(GetScanLine, DXGKARG_GETSCANLINE, PASSIVE_LEVEL, host_mix(c, a->VidPnTargetId), NOTHING)
THUNK_OTHER(QueryDeviceDescriptor)
THUNK_OTHER(ControlInterrupt)
THUNK_OTHER(ControlInterrupt2)
THUNK(ControlInterrupt3, const DXGKARG_CONTROLINTERRUPT3, PASSIVE_LEVEL,
      (host_mix2(c, (uint32_t)a->InterruptType, (uint32_t)a->CrtcVsyncState),
       host_mix(c, a->VidPnSourceId)),
      NOTHING)
THUNK_OTHER(SetVidPnSourceAddress)
