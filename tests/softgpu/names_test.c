/*
 * names_test.c - the settings that are known by name are those that vidmm/softgpu.h tells of.
 */
#include <vidmm/softgpu.h>

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char header[1 << 16];

/* "   Name    what it is" or "   One, Two   what they are", in the header's first comment. */
static bool is_told(const char *name) {
    char word[64];
    const char *at = header, *end = strstr(header, "*/");
    snprintf(word, sizeof(word), "%s", name);
    while ((at = strstr(at, word)) && at < end) {
        char before = at[-1], after = at[strlen(word)];
        if (before == ' ' && (after == ' ' || after == ','))
            return true;
        at++;
    }
    return false;
}

static bool is_known(const char *name, size_t length) {
    const char *known;
    for (size_t i = 0; (known = vidmm_softgpu_setting(i)); i++)
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return true;
    return false;
}

static void each_known_setting_is_told(void **state) {
    const char *known;
    (void)state;
    for (size_t i = 0; (known = vidmm_softgpu_setting(i)); i++)
        if (!is_told(known))
            fail_msg("%s is not in softgpu.h", known);
}

static void each_setting_that_is_told_is_known(void **state) {
    static const char start[] = "\n *   ";
    const char *end = strstr(header, "*/");
    (void)state;
    for (const char *at = header; (at = strstr(at, start)) && at < end;) {
        at += sizeof(start) - 1;
        while (isupper((unsigned char)*at)) {
            size_t length =
                strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
            if (!is_known(at, length))
                fail_msg("%.*s is not known", (int)length, at);
            at += length;
            if (strncmp(at, ", ", 2) != 0)
                break;
            at += 2;
        }
    }
}

static int read_header(void **state) {
    FILE *file = fopen(SOFTGPU_HEADER, "r");
    (void)state;
    if (!file)
        return -1;
    header[fread(header, 1, sizeof(header) - 1, file)] = '\0';
    fclose(file);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_known_setting_is_told),
        cmocka_unit_test(each_setting_that_is_told_is_known),
    };
    return cmocka_run_group_tests(tests, read_header, NULL);
}
