/* os.h - the manager's operating system over this host (vidmm/os.h). */
#ifndef HOST_OS_H
#define HOST_OS_H

#include <vidmm/os.h>

void host_os_fill(struct vidmm_os *os);
/* The page of os.dummy_page; false: there is none. */
bool host_os_take_dummy(void);

#endif
