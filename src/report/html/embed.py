#!/usr/bin/env python3
"""Makes a C file of text files: each becomes an array of bytes with an end, named after the file.

  embed.py OUTPUT FILE...
"""
import os
import sys

with open(sys.argv[1], 'w', encoding='ascii') as out:
    out.write('/* Made by embed.py. */\n')
    for path in sys.argv[2:]:
        name = 'report_html_' + os.path.basename(path).replace('.', '_')
        with open(path, 'rb') as file:
            data = file.read() + b'\0'
        out.write(f'extern const char {name}[];\nconst char {name}[] = {{\n')
        for at in range(0, len(data), 20):
            out.write(','.join(str(byte if byte < 128 else byte - 256) for byte in data[at:at + 20]) + ',\n')
        out.write('};\n')
