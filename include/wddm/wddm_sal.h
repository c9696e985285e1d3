/* SPDX-License-Identifier: MIT */
/*
 * Source annotations (SAL and the older driver annotations) as empty macros, so that annotated
 * driver sources compile. The old lower-case forms (__in, __out ...) are for kernel code alone: C++
 * standard libraries use those identifiers.
 */
#ifndef WDDM_SAL_H
#define WDDM_SAL_H

#ifndef _In_
#define _In_
#endif
#ifndef _Out_
#define _Out_
#endif
#ifndef _Inout_
#define _Inout_
#endif
#ifndef _In_opt_
#define _In_opt_
#endif
#ifndef _Out_opt_
#define _Out_opt_
#endif
#ifndef _Inout_opt_
#define _Inout_opt_
#endif
#ifndef _In_z_
#define _In_z_
#endif
#ifndef _In_opt_z_
#define _In_opt_z_
#endif
#ifndef _Outptr_
#define _Outptr_
#endif
#ifndef _Outptr_opt_
#define _Outptr_opt_
#endif
#ifndef _Outptr_result_maybenull_
#define _Outptr_result_maybenull_
#endif
#ifndef _Outptr_result_nullonfailure_
#define _Outptr_result_nullonfailure_
#endif
#ifndef _COM_Outptr_
#define _COM_Outptr_
#endif
#ifndef _Ret_
#define _Ret_
#endif
#ifndef _Ret_maybenull_
#define _Ret_maybenull_
#endif
#ifndef _Ret_notnull_
#define _Ret_notnull_
#endif
#ifndef _Post_invalid_
#define _Post_invalid_
#endif
#ifndef _Post_valid_
#define _Post_valid_
#endif
#ifndef _Post_ptr_invalid_
#define _Post_ptr_invalid_
#endif
#ifndef _Pre_notnull_
#define _Pre_notnull_
#endif
#ifndef _Pre_maybenull_
#define _Pre_maybenull_
#endif
#ifndef _Pre_valid_
#define _Pre_valid_
#endif
#ifndef _Post_
#define _Post_
#endif
#ifndef _Pre_
#define _Pre_
#endif
#ifndef _Maybenull_
#define _Maybenull_
#endif
#ifndef _Notnull_
#define _Notnull_
#endif
#ifndef _Null_terminated_
#define _Null_terminated_
#endif
#ifndef _Reserved_
#define _Reserved_
#endif
#ifndef _Const_
#define _Const_
#endif
#ifndef _Check_return_
#define _Check_return_
#endif
#ifndef _Must_inspect_result_
#define _Must_inspect_result_
#endif
#ifndef _Use_decl_annotations_
#define _Use_decl_annotations_
#endif
#ifndef _Printf_format_string_
#define _Printf_format_string_
#endif
#ifndef _Points_to_data_
#define _Points_to_data_
#endif
#ifndef _Literal_
#define _Literal_
#endif
#ifndef _Notliteral_
#define _Notliteral_
#endif
#ifndef _Interlocked_operand_
#define _Interlocked_operand_
#endif
#ifndef _IRQL_raises_dpc_
#define _IRQL_raises_dpc_
#endif
#ifndef _IRQL_requires_same_
#define _IRQL_requires_same_
#endif
#ifndef _IRQL_saves_
#define _IRQL_saves_
#endif
#ifndef _IRQL_restores_
#define _IRQL_restores_
#endif
#ifndef _IRQL_is_cancel_
#define _IRQL_is_cancel_
#endif
#ifndef _Dispatch_type_IRP_
#define _Dispatch_type_IRP_
#endif
#ifndef _Kernel_clear_do_init_
#define _Kernel_clear_do_init_
#endif
#ifndef _Frees_
#define _Frees_
#endif
#ifndef _Allocates_
#define _Allocates_
#endif
#ifndef _Requires_no_locks_held_
#define _Requires_no_locks_held_
#endif
#ifndef _Field_z_
#define _Field_z_
#endif
#ifndef _Ret_z_
#define _Ret_z_
#endif
#ifndef _Post_z_
#define _Post_z_
#endif
#ifndef _Pre_z_
#define _Pre_z_
#endif
#ifndef _Deref_out_
#define _Deref_out_
#endif
#ifndef _Prepost_z_
#define _Prepost_z_
#endif
#ifndef __drv_aliasesMem
#define __drv_aliasesMem
#endif
#ifndef __drv_sameIRQL
#define __drv_sameIRQL
#endif
#ifndef __drv_arg0
#define __drv_arg0
#endif
#ifndef __nullterminated
#define __nullterminated
#endif
#ifndef _In_reads_
#define _In_reads_(...)
#endif
#ifndef _In_reads_opt_
#define _In_reads_opt_(...)
#endif
#ifndef _In_reads_bytes_
#define _In_reads_bytes_(...)
#endif
#ifndef _In_reads_bytes_opt_
#define _In_reads_bytes_opt_(...)
#endif
#ifndef _In_reads_z_
#define _In_reads_z_(...)
#endif
#ifndef _In_range_
#define _In_range_(...)
#endif
#ifndef _Out_range_
#define _Out_range_(...)
#endif
#ifndef _Out_writes_
#define _Out_writes_(...)
#endif
#ifndef _Out_writes_opt_
#define _Out_writes_opt_(...)
#endif
#ifndef _Out_writes_all_
#define _Out_writes_all_(...)
#endif
#ifndef _Out_writes_all_opt_
#define _Out_writes_all_opt_(...)
#endif
#ifndef _Out_writes_bytes_
#define _Out_writes_bytes_(...)
#endif
#ifndef _Out_writes_bytes_opt_
#define _Out_writes_bytes_opt_(...)
#endif
#ifndef _Out_writes_bytes_all_
#define _Out_writes_bytes_all_(...)
#endif
#ifndef _Out_writes_z_
#define _Out_writes_z_(...)
#endif
#ifndef _Inout_updates_
#define _Inout_updates_(...)
#endif
#ifndef _Inout_updates_opt_
#define _Inout_updates_opt_(...)
#endif
#ifndef _Inout_updates_bytes_
#define _Inout_updates_bytes_(...)
#endif
#ifndef _Inout_updates_bytes_opt_
#define _Inout_updates_bytes_opt_(...)
#endif
#ifndef _Inout_updates_all_
#define _Inout_updates_all_(...)
#endif
#ifndef _Outptr_result_bytebuffer_
#define _Outptr_result_bytebuffer_(...)
#endif
#ifndef _Outptr_result_buffer_
#define _Outptr_result_buffer_(...)
#endif
#ifndef _Outptr_opt_result_bytebuffer_
#define _Outptr_opt_result_bytebuffer_(...)
#endif
#ifndef _Field_size_
#define _Field_size_(...)
#endif
#ifndef _Field_size_opt_
#define _Field_size_opt_(...)
#endif
#ifndef _Field_size_bytes_
#define _Field_size_bytes_(...)
#endif
#ifndef _Field_size_bytes_opt_
#define _Field_size_bytes_opt_(...)
#endif
#ifndef _Field_range_
#define _Field_range_(...)
#endif
#ifndef _Struct_size_bytes_
#define _Struct_size_bytes_(...)
#endif
#ifndef _Success_
#define _Success_(...)
#endif
#ifndef _Return_type_success_
#define _Return_type_success_(...)
#endif
#ifndef _On_failure_
#define _On_failure_(...)
#endif
#ifndef _Always_
#define _Always_(...)
#endif
#ifndef _Function_class_
#define _Function_class_(...)
#endif
#ifndef _IRQL_requires_
#define _IRQL_requires_(...)
#endif
#ifndef _IRQL_requires_max_
#define _IRQL_requires_max_(...)
#endif
#ifndef _IRQL_requires_min_
#define _IRQL_requires_min_(...)
#endif
#ifndef _IRQL_raises_
#define _IRQL_raises_(...)
#endif
#ifndef _IRQL_always_function_max_
#define _IRQL_always_function_max_(...)
#endif
#ifndef _Acquires_lock_
#define _Acquires_lock_(...)
#endif
#ifndef _Releases_lock_
#define _Releases_lock_(...)
#endif
#ifndef _Requires_lock_held_
#define _Requires_lock_held_(...)
#endif
#ifndef _Requires_lock_not_held_
#define _Requires_lock_not_held_(...)
#endif
#ifndef _Acquires_exclusive_lock_
#define _Acquires_exclusive_lock_(...)
#endif
#ifndef _Acquires_shared_lock_
#define _Acquires_shared_lock_(...)
#endif
#ifndef _Releases_exclusive_lock_
#define _Releases_exclusive_lock_(...)
#endif
#ifndef _Releases_shared_lock_
#define _Releases_shared_lock_(...)
#endif
#ifndef _Post_satisfies_
#define _Post_satisfies_(...)
#endif
#ifndef _Pre_satisfies_
#define _Pre_satisfies_(...)
#endif
#ifndef _Post_equal_to_
#define _Post_equal_to_(...)
#endif
#ifndef _Guarded_by_
#define _Guarded_by_(...)
#endif
#ifndef _Write_guarded_by_
#define _Write_guarded_by_(...)
#endif
#ifndef _Interlocked_
#define _Interlocked_(...)
#endif
#ifndef _Analysis_assume_
#define _Analysis_assume_(...)
#endif
#ifndef _Analysis_mode_
#define _Analysis_mode_(...)
#endif
#ifndef _Has_lock_level_
#define _Has_lock_level_(...)
#endif
#ifndef _Inexpressible_
#define _Inexpressible_(...)
#endif
#ifndef _Ret_range_
#define _Ret_range_(...)
#endif
#ifndef _Deref_out_range_
#define _Deref_out_range_(...)
#endif
#ifndef _Ret_writes_bytes_
#define _Ret_writes_bytes_(...)
#endif
#ifndef _Ret_writes_
#define _Ret_writes_(...)
#endif
#ifndef _Ret_writes_maybenull_
#define _Ret_writes_maybenull_(...)
#endif
#ifndef _Ret_writes_bytes_maybenull_
#define _Ret_writes_bytes_maybenull_(...)
#endif
#ifndef _Post_writable_byte_size_
#define _Post_writable_byte_size_(...)
#endif
#ifndef _Post_writable_size_
#define _Post_writable_size_(...)
#endif
#ifndef _Post_readable_byte_size_
#define _Post_readable_byte_size_(...)
#endif
#ifndef _Pre_readable_size_
#define _Pre_readable_size_(...)
#endif
#ifndef __drv_freesMem
#define __drv_freesMem(...)
#endif
#ifndef __drv_allocatesMem
#define __drv_allocatesMem(...)
#endif
#ifndef __drv_maxIRQL
#define __drv_maxIRQL(...)
#endif
#ifndef __drv_minIRQL
#define __drv_minIRQL(...)
#endif
#ifndef __drv_requiresIRQL
#define __drv_requiresIRQL(...)
#endif
#ifndef __drv_functionClass
#define __drv_functionClass(...)
#endif
#ifndef __drv_raisesIRQL
#define __drv_raisesIRQL(...)
#endif
#ifndef __drv_reportError
#define __drv_reportError(...)
#endif
#ifndef __drv_valueIs
#define __drv_valueIs(...)
#endif
#ifndef __drv_strictTypeMatch
#define __drv_strictTypeMatch(...)
#endif
#ifndef __drv_out
#define __drv_out(...)
#endif
#ifndef __drv_in
#define __drv_in(...)
#endif
#ifndef _Group_
#define _Group_(...)
#endif
#ifndef __drv_dispatchType
#define __drv_dispatchType(...)
#endif
#ifndef _When_
#define _When_(...)
#endif
#ifndef _At_
#define _At_(...)
#endif
#ifndef _Out_writes_to_
#define _Out_writes_to_(...)
#endif
#ifndef _Out_writes_to_opt_
#define _Out_writes_to_opt_(...)
#endif
#ifndef _Out_writes_bytes_to_
#define _Out_writes_bytes_to_(...)
#endif
#ifndef _Out_writes_bytes_to_opt_
#define _Out_writes_bytes_to_opt_(...)
#endif
#ifndef _Inout_updates_to_
#define _Inout_updates_to_(...)
#endif
#ifndef _Inout_updates_bytes_to_
#define _Inout_updates_bytes_to_(...)
#endif
#ifndef _IRQL_saves_global_
#define _IRQL_saves_global_(...)
#endif
#ifndef _IRQL_restores_global_
#define _IRQL_restores_global_(...)
#endif
#ifndef _Lock_level_order_
#define _Lock_level_order_(...)
#endif
#ifndef __drv_when
#define __drv_when(...)
#endif
#ifndef __drv_preferredFunction
#define __drv_preferredFunction(...)
#endif
#ifndef _Outptr_result_buffer_to_
#define _Outptr_result_buffer_to_(...)
#endif
#ifndef _Outptr_result_bytebuffer_to_
#define _Outptr_result_bytebuffer_to_(...)
#endif

#ifndef _Dispatch_type_
#define _Dispatch_type_(...)
#endif
#ifndef _Enum_is_bitflag_
#define _Enum_is_bitflag_
#endif
#ifndef _Strict_type_match_
#define _Strict_type_match_
#endif
#ifndef _Function_class_DXGK_
#define _Function_class_DXGK_(...)
#define _IRQL_requires_DXGK_(...)
#define _IRQL_requires_max_DXGK_(...)
#define _IRQL_requires_min_DXGK_(...)
#endif

/*
 * Sources built as kernel code (the compiler defines _KERNEL_MODE, or the build file does) include
 * no C++ standard library: for them the lower-case forms exist as well.
 */
#ifdef _KERNEL_MODE
#define __in
#define __out
#define __inout
#define __in_opt
#define __out_opt
#define __inout_opt
#define __deref_out
#define __in_bcount(...)
#define __in_ecount(...)
#define __out_bcount(...)
#define __out_ecount(...)
#define __inout_bcount(...)
#define __inout_ecount(...)
#define __control_entrypoint(...)
#define __checkReturn
#define __callback
#define __success(...)
#define __fallthrough
#define __deref_out_opt
#define __deref_inout
#define __out_ecount_opt(...)
#define __in_ecount_opt(...)
#define __in_bcount_opt(...)
#define __out_bcount_opt(...)
#define __inout_bcount_opt(...)
#define __out_bcount_part(...)
#define __out_ecount_part(...)
#define __field_bcount(...)
#define __field_ecount(...)
#define __bcount(...)
#define __ecount(...)
#define __reserved
#define __notnull
#define __nullterminated
#define __inner_checkReturn
#define __format_string
#define __drv_sameIRQL
#define __drv_raisesIRQL(...)
#define __drv_restoresIRQL
#define __drv_savesIRQL
#define __drv_mustHold(...)
#define __drv_neverHold(...)
#define __drv_acquiresResource(...)
#define __drv_releasesResource(...)
#define __drv_clearDoInit(...)
#define __drv_inTry
#define __drv_notInTry
#endif

/* The pre-SAL direction words. */
#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT
#endif
#ifndef OPTIONAL
#define OPTIONAL
#endif
#ifndef CRITICAL
#define CRITICAL
#endif

#ifndef __analysis_assume
#define __analysis_assume(expression) ((void)0)
#endif
#if defined(_KERNEL_MODE) && !defined(NOTHING)
#define NOTHING
#endif

#endif
