/*
 * `node scripts/icons.mjs`: draws the installed app's icons into public/. Plain shapes, sampled four by four for smooth
 * edges, and a PNG written by hand: no image library for a picture of two rectangles.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { root } from './steps.mjs';

const GROUND = [14, 16, 18];
const INK = [230, 233, 236];
const SAMPLES = 4;

/** Is the point inside a rectangle with round corners? */
function inside(x, y, [left, top, right, bottom], radius) {
  if (x < left || x > right || y < top || y > bottom) return false;
  const dx = Math.max(left + radius - x, x - (right - radius), 0);
  const dy = Math.max(top + radius - y, y - (bottom - radius), 0);
  return dx * dx + dy * dy <= radius * radius;
}

/** The sign in a square of side 1: a frame with a bar at its foot. `inset` keeps it clear of a mask's edge. */
function colourAt(x, y, { inset, round }) {
  if (round > 0 && !inside(x, y, [0, 0, 1, 1], round)) return null;
  const [a, b] = [inset, 1 - inset];
  const line = (b - a) * 0.12;
  const frame =
    inside(x, y, [a, a, b, b], (b - a) * 0.2) &&
    !inside(x, y, [a + line, a + line, b - line, b - line], (b - a) * 0.1);
  const bar = inside(x, y, [a + line * 2, b - line * 3, b - line * 2, b - line * 2], line * 0.3);
  return frame || bar ? INK : GROUND;
}

function png(size, look) {
  const rows = Buffer.alloc(size * (size * 4 + 1));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const sum = [0, 0, 0];
      let covered = 0;
      for (let i = 0; i < SAMPLES * SAMPLES; i++) {
        const sx = (x + ((i % SAMPLES) + 0.5) / SAMPLES) / size;
        const sy = (y + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES) / size;
        const colour = colourAt(sx, sy, look);
        if (!colour) continue;
        covered++;
        for (let c = 0; c < 3; c++) sum[c] += colour[c];
      }
      const at = y * (size * 4 + 1) + 1 + x * 4;
      for (let c = 0; c < 3; c++) rows[at + c] = covered ? Math.round(sum[c] / covered) : 0;
      rows[at + 3] = Math.round((covered * 255) / (SAMPLES * SAMPLES));
    }
  }
  const chunk = (type, data) => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length, 0);
    out.write(type, 4, 'latin1');
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const ICONS = {
  'icon-192.png': [192, { inset: 0.22, round: 0.18 }],
  'icon-512.png': [512, { inset: 0.22, round: 0.18 }],
  // A mask may cut away everything outside the middle four fifths.
  'icon-maskable-512.png': [512, { inset: 0.3, round: 0 }],
  // The phone rounds it by itself and puts black where it is clear.
  'icon-apple-180.png': [180, { inset: 0.22, round: 0 }],
};
for (const [name, [size, look]] of Object.entries(ICONS)) {
  writeFileSync(join(root, 'public', name), png(size, look));
  process.stdout.write(`public/${name}\n`);
}
