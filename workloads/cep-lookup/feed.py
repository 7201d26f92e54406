"""Prints a feed: 5,000 request targets, the same every time.

Run: python3 feed.py > feed.txt, and python3 feed.py hits > feed-hits.txt

In feed.txt 49 of 50 are found in the database: codes drawn by Zipf's law (exponent 1) over the 100,000 stored ones in a shuffled
order. One of 50 is known to ViaCEP only: a sector drawn from all, with a suffix that load draws afresh each time, so
that the ratio of hits stays what it is as the database fills up. In feed-hits.txt all are found in the database.
Every seventh target has a hyphen.
"""

import random
import re
import sys
from itertools import accumulate
from pathlib import Path

LINES = 5_000
MISS_EVERY = 50
HYPHEN_EVERY = 7
SUFFIXES_STORED = 250
SUFFIXES_KNOWN = 500

hits_only = sys.argv[1:] == ["hits"]
draw = random.Random(1)
data = Path(__file__).with_name("data.sql").read_text(encoding="utf-8")
places = re.findall(r"^    \('\w\w', '\d{7}', .*, +(\d+), +(\d+), (?:true|false)\)", data, re.MULTILINE)
sectors = [int(first) + more for first, count in places for more in range(int(count))]

stored = [f"{sector:05}{suffix:03}" for sector in sectors for suffix in range(SUFFIXES_STORED)]
draw.shuffle(stored)
weights = list(accumulate(1 / rank for rank in range(1, len(stored) + 1)))

for line in range(1, LINES + 1):
    code = draw.choices(stored, cum_weights=weights)[0]
    if not hits_only and line % MISS_EVERY == 0:
        suffix = f"{{rand:{SUFFIXES_STORED}..{SUFFIXES_KNOWN - 1}}}"
        code = f"{draw.choice(sectors):05}{suffix}"
    hyphen = "-" if line % HYPHEN_EVERY == 0 else ""
    print(f"/api/v1/cep/{code[:5]}{hyphen}{code[5:]}")
