/*
 * html.c - the page of an HTML report, its text, lists and tables; see html.h.
 */
#include "html.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

extern const char report_html_report_css[], report_html_report_js[];

/* ---- Text ------------------------------------------------------------------------------------ */

/* What may be no character is a '?'. */
void html_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c == '\'')
            fputs("&#39;", out);
        else
            fputc(c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f) ? c : '?', out);
    }
}

static void html_format(FILE *out, const char *format, va_list list) {
    char text[1024];
    vsnprintf(text, sizeof(text), format, list);
    html_text(out, text);
}

void html_print(FILE *out, const char *format, ...) {
    va_list list;
    va_start(list, format);
    html_format(out, format, list);
    va_end(list);
}

void html_json_text(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        bool plain = c >= 0x20 && c < 0x7f && !strchr("\"\\<>&", c);
        if (plain)
            fputc(c, out);
        else if (c < 0x80)
            fprintf(out, "\\u%04x", c);
        else
            fputc('?', out);
    }
    fputc('"', out);
}

const char *html_ns(uint64_t ns, char text[24]) {
    double value = (double)ns;
    if (ns >= 10000000000u)
        snprintf(text, 24, "%.2f s", value / 1e9);
    else if (ns >= 1000000)
        snprintf(text, 24, "%.2f ms", value / 1e6);
    else
        snprintf(text, 24, "%.1f us", value / 1e3);
    return text;
}

/* ---- Lists and tables ------------------------------------------------------------------------ */

void html_section(FILE *out, const char *id, const char *heading) {
    fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n<h2 id=\"%s-heading\">", id,
            id, id);
    html_text(out, heading);
    fputs("</h2>\n", out);
}

void html_section_end(FILE *out) {
    fputs("</section>\n", out);
}

void html_facts(FILE *out) {
    fputs("<dl class=\"facts\">\n", out);
}

void html_facts_end(FILE *out) {
    fputs("</dl>\n", out);
}

void html_fact(FILE *out, const char *name, const char *format, ...) {
    va_list list;
    fputs("<div><dt>", out);
    html_text(out, name);
    fputs("</dt><dd>", out);
    va_start(list, format);
    html_format(out, format, list);
    va_end(list);
    fputs("</dd></div>\n", out);
}

void html_fact_bytes(FILE *out, const char *name, uint64_t bytes) {
    char text[32];
    html_fact(out, name, "%s", vidmm_report_size(bytes, text, sizeof(text)));
}

void html_fact_count(FILE *out, const char *name, uint64_t count) {
    char text[32];
    html_fact(out, name, "%s", vidmm_report_count(count, text, sizeof(text)));
}

void html_fact_ns(FILE *out, const char *name, uint64_t ns) {
    html_fact(out, name, "%.1f ms", (double)ns / 1e6);
}

void html_table(FILE *out, const char *caption, const char *const *heads, size_t count) {
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    html_text(out, caption);
    fputs("\"><table>\n<thead><tr>", out);
    for (size_t i = 0; i < count; i++) {
        bool number = heads[i][0] == '#';
        fputs(number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", out);
        html_text(out, heads[i] + number);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void html_table_end(FILE *out) {
    fputs("</tbody></table></div>\n", out);
}

void html_cell(FILE *out, const char *format, ...) {
    va_list list;
    fputs("<td>", out);
    va_start(list, format);
    html_format(out, format, list);
    va_end(list);
    fputs("</td>", out);
}

void html_number(FILE *out, const char *format, ...) {
    va_list list;
    fputs("<td class=\"n\">", out);
    va_start(list, format);
    html_format(out, format, list);
    va_end(list);
    fputs("</td>", out);
}

void html_cell_bytes(FILE *out, uint64_t bytes) {
    char text[32];
    html_number(out, "%s", vidmm_report_size(bytes, text, sizeof(text)));
}

void html_cell_count(FILE *out, uint64_t count) {
    char text[32];
    html_number(out, "%s", vidmm_report_count(count, text, sizeof(text)));
}

/* ---- The page -------------------------------------------------------------------------------- */

/* No other file is asked for, whatever a text says. */
#define POLICY                                                                                     \
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "        \
    "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"

static void page_head(FILE *out, const struct html_report *report, const char *command) {
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" POLICY
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    html_print(out, "%s - vidmm %s", report->title, report->kind);
    fprintf(out,
            "</title>\n<style>\n%s</style>\n</head>\n<body>\n"
            "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n<p class=\"kind\">",
            report_html_report_css);
    html_print(out, "vidmm %s", report->kind);
    fputs("</p>\n<h1>", out);
    html_text(out, report->title);
    fprintf(out, "</h1>\n<p class=\"verdict %s\" id=\"verdict\"><strong>",
            report->good ? "good" : "bad");
    html_text(out, report->word);
    fputs("</strong> <span>", out);
    html_text(out, report->sentence);
    fputs("</span></p>\n", out);
    if (command) {
        fputs("<p class=\"command\"><code>", out);
        html_text(out, command);
        fputs("</code></p>\n", out);
    }
    fputs("<nav id=\"nav\" aria-label=\"Sections\"></nav>\n</header>\n<main id=\"main\">\n", out);
}

static void page_end(FILE *out) {
    fprintf(
        out,
        "</main>\n<footer><p>Made by vidmm %s. This file needs no network and no other file.</p>"
        "</footer>\n<div id=\"tip\" class=\"tip\" role=\"status\" hidden></div>\n"
        "<script>\n%s</script>\n</body>\n</html>",
        VIDMM_VERSION, report_html_report_js);
}

/* NULL: no workload, or no memory. */
static const struct vidmm_event **find_made(const struct vidmm_workload *workload) {
    if (!workload)
        return NULL;
    const struct vidmm_event **made =
        calloc(workload->allocation_count + 1u, sizeof(const struct vidmm_event *));
    for (size_t i = 0; made && i < workload->event_count; i++)
        if (workload->events[i].kind == VIDMM_EVENT_ALLOC)
            made[workload->events[i].allocation] = &workload->events[i];
    return made;
}

bool html_write(const struct vidmm_report_page *about, const struct html_report *report, char *text,
                size_t text_size) {
    char *whole = NULL;
    size_t size = 0;
    struct html_page page = {
        .out = open_memstream(&whole, &size), .about = about, .made = find_made(about->workload)};
    if (about->map) {
        report_map_mend(about->map);
        page.map = about->map->shared;
    }
    if (page.out) {
        page_head(page.out, report, about->command);
        report->body(&page, report->result);
        html_data(&page);
        page_end(page.out);
    }
    free(page.made);
    if (!page.out || ferror(page.out) || fclose(page.out) != 0) {
        free(whole);
        snprintf(text, text_size, "out of memory for the HTML report");
        return false;
    }
    bool done = report_write(about->path, whole, text, text_size);
    free(whole);
    return done;
}
