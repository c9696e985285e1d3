/* options_device.c - --device and --device-log: what they open lives as long as the command. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/device.h>

static struct vidmm_device *device;
static FILE *device_log;

static void close_device(void) {
    vidmm_device_close(device);
    device = NULL;
}

bool cli_take_device(char *name, struct cli_options *options) {
    char text[512];
    options->device = name;
    if (device)
        return cli_refuse_value("device", name, "given once");
    device = vidmm_device_open(name, text, sizeof(text));
    if (!device) {
        cli_refuse("%s", text);
        return false;
    }
    if (atexit(close_device) != 0) {
        close_device();
        cli_refuse("out of memory");
        return false;
    }
    options->run.device = vidmm_device_model(device);
    return true;
}

static void close_log(void) {
    if (fclose(device_log) != 0)
        cli_refuse("cannot write the log of the device: %s", strerror(errno));
}

/* Line by line, since the stages of a check are processes that share it. */
bool cli_take_device_log(char *path, struct cli_options *options) {
    if (device_log)
        return cli_refuse_value("device-log", path, "given once");
    device_log = fopen(path, "we");
    if (!device_log || setvbuf(device_log, NULL, _IOLBF, 0) != 0 || atexit(close_log) != 0) {
        cli_refuse("cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    options->run.device_log = device_log;
    return true;
}
