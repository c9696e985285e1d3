#!/usr/bin/env python3
"""Compares docs/coverage.md with a checkout of the documentation.

    scripts/coverage-of-pages.py --pages DIR [--pages DIR]            what changed; exit 1: something did
    scripts/coverage-of-pages.py --pages DIR --list PAGE              the normative sentences of a page, with hashes
    scripts/coverage-of-pages.py                                      only what needs no checkout: are the rules there?

DIR is searched for files PAGE.md. A sentence is normative when it has one of the words of WORDS. The table knows a
sentence by a hash of its page and its words, without markup, case and white space, so that it quotes none; what a sentence
says stands beside the hash in our own words.

A section of the table begins with "### PAGE" and has rows "| hash | in our words | rules or reason |". The third column
has numbers of rules (R152, R96), or begins with "none:" and says why there is none.
"""
import argparse
import glob
import hashlib
import os
import re
import sys

TABLE = 'docs/coverage.md'
ROWS = 'src/referee/rules/group_*.c'
WORDS = re.compile(r"\b(must|should|shall|only|never|always|cannot|can't|can not)\b", re.I)

SECTION = re.compile(r'^### (\S+)')
ROW = re.compile(r'^\| `([0-9a-f]{8})` \| (.*?) \| (.*) \|$')
RULE = re.compile(r'\bR(\d+)\b')


def plain(text):
    """Without front matter, code, links and markup."""
    text = re.sub(r'^\ufeff?---.*?^---', '', text, count=1, flags=re.S | re.M)
    text = re.sub(r'```.*?```', ' ', text, flags=re.S)
    text = re.sub(r'<pre>.*?</pre>', ' ', text, flags=re.S | re.I)
    text = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', text)
    text = re.sub(r'<br\s*/?>', '\n', text, flags=re.I)
    text = re.sub(r'<[^>]*>', '', text)
    return re.sub(r'[*_`\\]', '', text)


def sentences(text):
    """The normative sentences of a page, each once, in order."""
    found = []
    for line in plain(text).split('\n'):
        line = re.sub(r'^[\s>#|*-]+|[\s|]+$', '', line)
        for part in re.split(r'(?<=[.!?:;])\s+(?=[A-Z0-9"(])|\s\|\s', line):
            part = re.sub(r'\s+', ' ', part).strip()
            if len(part) > 15 and WORDS.search(part) and part not in found:
                found.append(part)
    return found


def hash_of(page, sentence):
    words = re.sub(r'[^a-z0-9]+', ' ', sentence.lower()).strip()
    return hashlib.sha256(f'{page}: {words}'.encode()).hexdigest()[:8]


def page_path(folders, page):
    for folder in folders:
        paths = sorted(glob.glob(os.path.join(glob.escape(folder), '**', page + '.md'), recursive=True))
        if paths:
            return paths[0]
    return None


def read(path):
    with open(path, encoding='utf-8-sig') as file:
        return file.read()


def table():
    """{page: {hash: (our words, rules or reason)}}"""
    pages, page = {}, None
    for line in read(TABLE).split('\n'):
        section, row = SECTION.match(line), ROW.match(line)
        if section:
            page = pages.setdefault(section.group(1), {})
        elif row and page is not None:
            page[row.group(1)] = (row.group(2), row.group(3))
    return pages


def known_rules():
    return {int(number) for path in glob.glob(ROWS) for number in re.findall(r'\bRULE\((\d+),', read(path))}


def check_rows(pages):
    """Every row names rules that there are, or a reason."""
    rules, wrong = known_rules(), 0
    for page, rows in pages.items():
        for key, (_, answer) in rows.items():
            named = [int(number) for number in RULE.findall(answer)]
            missing = [f'R{number}' for number in named if number not in rules]
            if missing or not (named or answer.startswith('none:')):
                print(f'{page} {key}: ' + (f'{", ".join(missing)}: no such rule' if missing else 'neither a rule nor a reason'))
                wrong += 1
    return wrong


def compare(folders, pages):
    changed = 0
    for page, rows in pages.items():
        path = page_path(folders, page)
        if not path:
            print(f'{page}: not in this checkout')
            continue
        now = {hash_of(page, sentence): sentence for sentence in sentences(read(path))}
        for key in [key for key in now if key not in rows]:
            print(f'{page} {key}: new: {now[key]}')
            changed += 1
        for key in [key for key in rows if key not in now]:
            print(f'{page} {key}: gone, or said differently: {rows[key][0]}')
            changed += 1
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--pages', action='append', default=[], metavar='DIR')
    parser.add_argument('--list', metavar='PAGE')
    options = parser.parse_args()
    options.pages = [os.path.abspath(folder) for folder in options.pages]
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    if options.list:
        path = page_path(options.pages, options.list)
        if not path:
            sys.exit(f'{options.list}: not in this checkout')
        for sentence in sentences(read(path)):
            print(hash_of(options.list, sentence), sentence)
        return 0
    pages = table()
    rows = [row for page in pages.values() for row in page.values()]
    wrong = check_rows(pages) + (compare(options.pages, pages) if options.pages else 0)
    ruled = sum(1 for _, answer in rows if RULE.search(answer))
    print(f'coverage-of-pages: {len(pages)} pages, {len(rows)} sentences, {ruled} with a rule, {len(rows) - ruled} with a reason')
    return 1 if wrong else 0


sys.exit(main())
