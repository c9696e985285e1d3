/* device_timer.h - the timers of IoInitializeTimer live as long as the driver. */
#ifndef HOST_DEVICE_TIMER_H
#define HOST_DEVICE_TIMER_H

/* After the timers that are still set were counted. */
void host_device_timers_forget(void);

#endif
