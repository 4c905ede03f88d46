/**
 * Pasted bytes without control characters, tab and newline excepted (S-45): tmux 3.3a forwards an embedded `ESC[201~`
 * unchanged, and what follows it would count as typed. Works on UTF-8: C1 controls are the pairs C2 80 … C2 9F.
 */
export function cleanInput(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let used = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === 0x0d) {
      if (bytes[i + 1] !== 0x0a) out[used++] = 0x0a;
      continue;
    }
    if ((byte < 0x20 && byte !== 0x09 && byte !== 0x0a) || byte === 0x7f) continue;
    const next = bytes[i + 1] ?? 0;
    if (byte === 0xc2 && next >= 0x80 && next <= 0x9f) {
      i++;
      continue;
    }
    out[used++] = byte;
  }
  return out.subarray(0, used);
}
