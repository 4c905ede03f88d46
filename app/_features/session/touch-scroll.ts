import type { Terminal } from '@xterm/xterm';

/**
 * Scrolling by touch, with momentum. xterm.js 6 has none of its own: a drag over it does nothing. In the normal
 * screen it moves through the history; inside a full-screen program it turns the wheel for that program.
 */
export function touchScroll(term: Terminal, element: HTMLElement): () => void {
  let last = 0;
  let speed = 0;
  let rest = 0;
  let frame = 0;
  const rowHeight = () => element.clientHeight / Math.max(1, term.rows);
  const move = (pixels: number) => {
    rest += pixels / rowHeight();
    const lines = Math.trunc(rest);
    if (lines === 0) return;
    rest -= lines;
    if (term.buffer.active.type === 'normal') term.scrollLines(lines);
    else
      term.element?.dispatchEvent(
        new WheelEvent('wheel', { deltaY: lines * rowHeight(), bubbles: true, cancelable: true }),
      );
  };
  const start = (event: TouchEvent) => {
    cancelAnimationFrame(frame);
    last = event.touches[0]?.clientY ?? 0;
    speed = 0;
    rest = 0;
  };
  const drag = (event: TouchEvent) => {
    if (event.touches.length !== 1) return;
    const y = event.touches[0]?.clientY ?? last;
    const pixels = last - y;
    last = y;
    speed = 0.8 * pixels + 0.2 * speed;
    move(pixels);
    event.preventDefault();
  };
  const end = () => {
    const glide = () => {
      speed *= 0.95;
      if (Math.abs(speed) < 0.5) return;
      move(speed);
      frame = requestAnimationFrame(glide);
    };
    frame = requestAnimationFrame(glide);
  };
  element.addEventListener('touchstart', start, { passive: true });
  element.addEventListener('touchmove', drag, { passive: false });
  element.addEventListener('touchend', end, { passive: true });
  return () => {
    cancelAnimationFrame(frame);
    element.removeEventListener('touchstart', start);
    element.removeEventListener('touchmove', drag);
    element.removeEventListener('touchend', end);
  };
}
