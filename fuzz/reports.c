/*
 * reports.c - libFuzzer over the report writers: names, sentences and findings of any bytes. JSON, XML, SVG
 * and HTML stay well-formed, an HTML page has the same elements whatever a name is, and no report shows a
 * terminal an escape sequence or a line of a name's own.
 *
 * The input: flags, then texts up to a NUL each. Text reports get the words of findings as the process of
 * a driver tells them, printable; the others get them as they are. tests/report plays a few inputs, too.
 */
#include <expat.h>
#include <jansson.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vidmm/report.h>

#include "expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FINDINGS = 5, SENTENCES = 2, REPORT = 4 << 20, SOURCE = 600 };

struct input {
    const uint8_t *data;
    size_t size;
    bool plain; /* each byte of a line is an 'a', so that nothing is odd */
};

/* Everything of an input that a report may tell. */
struct told {
    struct vidmm_check_result check;
    struct vidmm_migrate_result migrated; /* with its run */
    struct vidmm_inspection inspection;
    struct vidmm_run_import import[SENTENCES];
    char sentence[SENTENCES][VIDMM_FOUND], *sentences[SENTENCES], name[SENTENCES][64];
    char command[256], end[256], source[SOURCE];
};

static struct told odd, plain;
static int output, source; /* standard output is this file; a driver's source is that one */
static char report[REPORT + 1], other[REPORT + 1];

/* Fonts of a picture stay loaded. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig";
}

/* ---- Of rooms that this does without ---------------------------------------------------------- */

uint64_t vidmm_host_time(void) {
    return 0;
}

void vidmm_check_reason(const struct vidmm_check_result *of, uint32_t rule, char *text,
                        size_t size) {
    (void)of;
    (void)snprintf(text, size, "R%u was not asked for", rule);
}

void vidmm_check_share(const struct vidmm_check_result *of, struct vidmm_check_share *share) {
    (void)of;
    *share = (struct vidmm_check_share){.rules = 1};
}

const char *vidmm_check_outcome(const struct vidmm_check_result *of, uint32_t rule) {
    return of->ledger.broken[rule] != 0 ? "broken" : "not reached";
}

bool vidmm_identity_parse(const char *text) {
    return !!strchr(text, '-');
}

bool vidmm_identities_add(struct vidmm_identities *list, const char *identity) {
    (void)identity;
    return ++list->count != 0;
}

/* ---- The input -------------------------------------------------------------------------------- */

static uint8_t take_byte(struct input *input) {
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

/* The next text, cut to what there is room for. */
static void take_text(struct input *input, char *text, size_t size) {
    size_t length = input->size != 0 ? strnlen((const char *)input->data, input->size) : 0;
    size_t kept = length < size - 1 ? length : size - 1;
    for (size_t i = 0; i < kept; i++)
        text[i] = input->plain && input->data[i] != '\n' ? 'a' : (char)input->data[i];
    text[kept] = '\0';
    input->data += length;
    input->size -= length;
    (void)take_byte(input);
}

#define TAKE(input, member) take_text(input, member, sizeof(member))

static void take_finding(struct input *input, struct vidmm_check_result *check, uint32_t index) {
    static const uint16_t rules[] = {152, 157, 300, VIDMM_K_CRASH, VIDMM_K_LEAK_POOL};
    struct vidmm_finding *finding = &check->ledger.finding[index];
    uint8_t shape = take_byte(input);
    *finding = (struct vidmm_finding){.who = VIDMM_SIDE_DRIVER, .times = 1u + shape % 2, .call = 7};
    finding->rule = rules[shape / 2 % 5];
    finding->kind = finding->rule < VIDMM_K_FIRST ? VIDMM_FINDING_RULE : VIDMM_FINDING_CRASH;
    TAKE(input, finding->where);
    TAKE(input, finding->step);
    TAKE(input, finding->found);
    TAKE(input, finding->expected);
    finding->places = shape / 16 % 3;
    for (uint32_t i = 0; i < finding->places; i++) {
        TAKE(input, finding->place[i].function);
        TAKE(input, finding->place[i].file);
    }
    check->mark[index].state = shape / 64 % 2 ? VIDMM_STATE_KNOWN : VIDMM_STATE_COUNTS;
    check->mark[index].follows = shape / 128 && index != 0 ? 1 : 0;
    (void)snprintf(check->mark[index].identity, VIDMM_IDENTITY, "R%u-%06x", finding->rule, index);
    check->ledger.broken[finding->rule]++;
    check->ledger.findings++;
}

static void take_check(struct input *input, struct vidmm_check_result *check) {
    check->status = VIDMM_CHECK_BROKEN;
    TAKE(input, check->driver);
    TAKE(input, check->text);
    check->examined[152] = check->examined[153] = 1;
    check->judged = check->broken = 1;
    for (uint32_t i = 0; i < FINDINGS && input->size != 0; i++)
        take_finding(input, check, i);
    check->stages = 1;
    check->stage[0] = (struct vidmm_stage_result){.name = "start", .outcome = VIDMM_STAGE_STOPPED};
    TAKE(input, check->stage[0].text);
}

static void take_run(struct input *input, struct told *told) {
    struct vidmm_run_result *run = &told->migrated.run;
    run->status = VIDMM_RUN_WRONG;
    run->played = true;
    run->play.mismatched_bytes = 1;
    run->violations = run->advice = told->sentences;
    run->violation_count = run->advice_count = SENTENCES;
    run->ledger = take_byte(input) % 2 ? &told->check.ledger : NULL;
    TAKE(input, run->driver);
    TAKE(input, run->workload);
    TAKE(input, run->policy);
    TAKE(input, run->text);
    TAKE(input, run->play.first.text);
    for (uint32_t i = 0; i < SENTENCES; i++) {
        TAKE(input, told->sentence[i]);
        told->sentences[i] = told->sentence[i];
    }
    told->migrated.status = VIDMM_MIGRATE_STAYED;
    TAKE(input, told->migrated.text);
}

static void take_inspection(struct input *input, struct told *told) {
    TAKE(input, told->inspection.driver);
    told->inspection.imports = told->import;
    told->inspection.import_count = SENTENCES;
    for (uint32_t i = 0; i < SENTENCES; i++) {
        TAKE(input, told->name[i]);
        told->import[i] = (struct vidmm_run_import){told->name[i], told->sentence[i], i % 2 == 0};
    }
}

static void take_told(struct input input, struct told *told) {
    memset(told, 0, sizeof(*told));
    take_check(&input, &told->check);
    take_run(&input, told);
    take_inspection(&input, told);
    TAKE(&input, told->command);
    TAKE(&input, told->end);
    TAKE(&input, told->source);
}

/* ---- As the process of a driver tells it ------------------------------------------------------ */

static void tell_printable(struct told *told) {
    struct vidmm_run_result *run = &told->migrated.run;
    char *const texts[] = {
        told->check.text, told->check.stage[0].text, run->workload,      run->policy,
        run->text,        run->play.first.text,      told->migrated.text};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        vidmm_printable(texts[i], false);
    for (uint32_t i = 0; i < SENTENCES; i++) {
        vidmm_printable(told->sentence[i], false);
        vidmm_printable(told->name[i], false);
    }
    for (uint32_t i = 0; i < told->check.ledger.findings; i++) {
        struct vidmm_finding *finding = &told->check.ledger.finding[i];
        vidmm_printable(finding->where, false);
        vidmm_printable(finding->step, false);
        vidmm_printable(finding->found, false);
        vidmm_printable(finding->expected, false);
        for (uint32_t k = 0; k < finding->places; k++) {
            vidmm_printable(finding->place[k].function, false);
            vidmm_printable(finding->place[k].file, false);
        }
    }
}

/* ---- What was written ------------------------------------------------------------------------- */

/* Of "-", which a report writes through a number of its own. */
static const char *written(bool done, const char *why) {
    expect(done, "a report is written", why);
    ssize_t size = pread(output, report, REPORT, 0);
    report[size > 0 ? size : 0] = '\0';
    expect(size > 0 && strlen(report) == (size_t)size, "a report without NUL", report);
    expect(ftruncate(output, 0) == 0 && lseek(output, 0, SEEK_SET) == 0, "an empty file", "");
    return report;
}

/* Escapes keep it ASCII, whose only control characters are the end of a line and a tab. */
static void expect_ascii(const char *text) {
    for (const char *at = text; *at != '\0'; at++)
        expect((unsigned char)*at < 0x80 &&
                   ((unsigned char)*at >= 0x20 || *at == '\n' || *at == '\t'),
               "only ASCII", at);
}

static void expect_json(const char *text) {
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    expect_ascii(text);
    expect(root, "JSON", text);
    json_decref(root);
}

static void expect_json_lines(char *text) {
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        expect_json(line);
}

static void expect_xml(const char *text) {
    XML_Parser parser = XML_ParserCreate(NULL);
    expect(XML_Parse(parser, text, (int)strlen(text), 1) == XML_STATUS_OK, "XML", text);
    XML_ParserFree(parser);
}

/* The next tag at or after `at`, NULL: none; `*size`: its bytes. */
static const char *next_tag(const char *at, size_t *size) {
    const char *tag = strchr(at, '<'), *end = tag ? strchr(tag, '>') : NULL;
    *size = end ? (size_t)(end - tag) + 1 : 0;
    return end ? tag : NULL;
}

/* Style and script are the same in both, and what is data is as long. */
static void expect_same_tags(const char *a, const char *b) {
    size_t a_size, b_size;
    const char *in = next_tag(a, &a_size), *of = next_tag(b, &b_size);
    while (in && of) {
        expect(a_size == b_size && memcmp(in, of, a_size) == 0, "the elements of plain names", in);
        in = next_tag(in + a_size, &a_size);
        of = next_tag(of + b_size, &b_size);
    }
    expect(!in && !of, "as many elements as with plain names", in ? in : of ? of : "");
}

/* ---- The reports ------------------------------------------------------------------------------ */

static void report_json_and_xml(const struct told *told) {
    static const struct vidmm_check_style style = {.verbose = true};
    char why[512];
    const struct vidmm_ledger *ledger = &told->check.ledger;
    for (enum vidmm_check_format format = VIDMM_CHECK_JSON; format <= VIDMM_CHECK_SARIF;
         format = (enum vidmm_check_format)(format + 1)) {
        bool done = vidmm_report_check("-", format, &told->check, &style, why, sizeof(why));
        (format == VIDMM_CHECK_JUNIT ? expect_xml : expect_json)(written(done, why));
    }
    bool done = vidmm_report_json("-", &told->migrated.run, why, sizeof(why));
    expect_json(written(done, why));
    done = vidmm_report_migration_json("-", &told->migrated, false, why, sizeof(why));
    expect_json(written(done, why));
    done = vidmm_report_inspection_json("-", &told->inspection, why, sizeof(why));
    expect_json(written(done, why));
    done = vidmm_report_crash_json("-", told->check.driver, &ledger->finding[0], why, sizeof(why));
    expect_json(written(done, why));
}

typedef bool write_page(const struct vidmm_report_page *page, const struct told *told, char *why,
                        size_t size);

/* The first finding is at the second line of a source. */
static const char *report_page(write_page *write, struct told *told) {
    const struct vidmm_report_page page = {.path = "-", .command = told->command};
    struct vidmm_spot *spot = &told->check.ledger.finding[0].place[0];
    size_t length = strlen(told->source);
    char why[512];
    spot->line = 2;
    (void)snprintf(spot->file, sizeof(spot->file), "/proc/self/fd/%d", source);
    expect(ftruncate(source, 0) == 0 && pwrite(source, told->source, length, 0) == (ssize_t)length,
           "a source is written", "");
    bool done = write(&page, told, why, sizeof(why));
    return written(done, why);
}

static void report_pages(write_page *write) {
    strcpy(other, report_page(write, &odd));
    expect_ascii(other);
    expect_same_tags(other, report_page(write, &plain));
}

static bool page_of_check(const struct vidmm_report_page *page, const struct told *told, char *why,
                          size_t size) {
    return vidmm_report_check_html(page, &told->check, why, size);
}

static bool page_of_run(const struct vidmm_report_page *page, const struct told *told, char *why,
                        size_t size) {
    return vidmm_report_run_html(page, &told->migrated.run, why, size);
}

static bool page_of_migration(const struct vidmm_report_page *page, const struct told *told,
                              char *why, size_t size) {
    return vidmm_report_migration_html(page, &told->migrated, false, why, size);
}

/* Calls, steps, findings and the end of a record, as lines of JSON. */
static void report_calls(const struct told *told) {
    const struct vidmm_finding *finding = &told->check.ledger.finding[0];
    static struct vidmm_ledger ledger;
    char why[512];
    struct vidmm_report_calls *calls = vidmm_report_calls_open("-", why, sizeof(why));
    expect(calls, "a record of calls", why);
    struct vidmm_record *record = vidmm_report_calls_record(calls);
    const struct vidmm_host_watcher *watcher = vidmm_record_watcher(record);
    struct vidmm_host_call call = {.name = told->name[0], .counted = true};
    ledger.findings = ledger.seen = 0;
    vidmm_record_ledger(record, &ledger);
    watcher->called(watcher->ctx, &call);
    vidmm_ledger_step(&ledger, finding->step);
    vidmm_ledger_calling(&ledger, finding->where);
    vidmm_ledger_judge(&ledger, 152, VIDMM_SIDE_DRIVER, false, finding->expected, "%s",
                       finding->found);
    watcher->returned(watcher->ctx, &call);
    written(vidmm_report_calls_close(calls, told->end, why, sizeof(why)), why);
    expect_json_lines(report);
}

/* A picture's title comes from a driver and a recording. */
static void report_picture(const struct told *told) {
    static struct vidmm_report_map *map; /* empty, and some MiB */
    char why[512];
    map = map ? map : vidmm_report_map_create();
    expect(map, "memory for a map", "");
    bool done = vidmm_report_picture("-", map, told->check.driver, why, sizeof(why));
    expect_xml(written(done, why));
}

static void report_lines(const struct told *told) {
    static const struct vidmm_report_style style = {.unicode = true};
    static const struct vidmm_check_style verbose = {.verbose = true};
    const struct vidmm_ledger *ledger = &told->check.ledger;
    char why[512], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    expect(out, "memory for a report", "");
    vidmm_report_text(out, &told->migrated.run, &style);
    vidmm_report_migration(out, &told->migrated, false, true);
    vidmm_report_imports(out, &told->inspection);
    vidmm_report_inspection(out, &told->inspection);
    vidmm_report_crash(out, &ledger->finding[0]);
    (void)fclose(out);
    expect_lines("text for a terminal", text, size);
    free(text);
    bool done = vidmm_report_check("-", VIDMM_CHECK_TEXT, &told->check, &verbose, why, sizeof(why));
    const char *check = written(done, why);
    expect_lines("text for a terminal", check, strlen(check));
}

/* Standard output, where "-" leads, is a file in memory. */
static void begin(void) {
    output = memfd_create("report", MFD_CLOEXEC);
    source = memfd_create("source", MFD_CLOEXEC);
    expect(output >= 0 && dup2(output, STDOUT_FILENO) == STDOUT_FILENO, "a file in memory", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (output == 0)
        begin();
    take_told((struct input){data, size, false}, &odd);
    take_told((struct input){data, size, true}, &plain);
    report_json_and_xml(&odd);
    report_pages(page_of_check);
    report_pages(page_of_run);
    report_pages(page_of_migration);
    report_calls(&odd);
    report_picture(&odd);
    tell_printable(&odd);
    report_lines(&odd);
    return 0;
}
