#!/bin/sh
# check-reference.sh: makes the reference of the public headers (build/reference/html) by doxygen. A warning
# of doxygen is an error, and so is a function that has no comment of its own: prints header:line: sentence.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
rm -rf build/reference/xml
doxygen docs/Doxyfile
exec python3 - build/reference/xml <<'PYTHON'
import glob
import sys
import xml.etree.ElementTree

seen = missing = 0
for path in sorted(glob.glob(sys.argv[1] + '/*_8h.xml')):
    for member in xml.etree.ElementTree.parse(path).getroot().iter('memberdef'):
        if member.get('kind') != 'function':
            continue
        seen += 1
        words = ''.join(''.join(member.find(name).itertext()) for name in ('briefdescription', 'detaileddescription'))
        if not words.strip():
            place = member.find('location')
            print('%s:%s: %s has no comment of its own' % (place.get('file'), place.get('line'), member.findtext('name')))
            missing += 1
if not seen:
    sys.exit('check-reference: doxygen found no function')
if missing:
    sys.exit(1)
print('check-reference: each of %d public functions has a comment' % seen)
PYTHON
