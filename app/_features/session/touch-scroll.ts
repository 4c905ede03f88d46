import type { Terminal } from '@xterm/xterm';

const FRICTION = 0.95;
const SLOWEST = 0.5;

/**
 * Scrolling by touch, with momentum. xterm.js 6 has none of its own: a drag over it does nothing. In the normal
 * screen it moves through the history; inside a program that takes the mouse or the whole screen it turns the wheel for
 * that program. Where the terminal is larger than its place, a drag first moves what is in sight.
 */
export function touchScroll(term: Terminal, element: HTMLElement): () => void {
  let lastX = 0;
  let lastY = 0;
  let speed = 0;
  let rest = 0;
  let frame = 0;
  const rowHeight = () => {
    const height = element.querySelector('.xterm-screen')?.clientHeight ?? element.clientHeight;
    return Math.max(1, height / Math.max(1, term.rows));
  };
  const move = (pixels: number) => {
    const before = element.scrollTop;
    element.scrollTop = before + pixels;
    const left = pixels - (element.scrollTop - before);
    rest += left / rowHeight();
    const lines = Math.trunc(rest);
    if (lines === 0) return;
    rest -= lines;
    if (term.buffer.active.type === 'normal' && term.modes.mouseTrackingMode === 'none') {
      term.scrollLines(lines);
      return;
    }
    term.element?.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY: lines * rowHeight(),
        clientX: lastX,
        clientY: lastY,
        bubbles: true,
        cancelable: true,
      }),
    );
  };
  const start = (event: TouchEvent) => {
    cancelAnimationFrame(frame);
    lastX = event.touches[0]?.clientX ?? 0;
    lastY = event.touches[0]?.clientY ?? 0;
    speed = 0;
    rest = 0;
  };
  const drag = (event: TouchEvent) => {
    const touch = event.touches[0];
    if (!touch || event.touches.length !== 1) return;
    const pixels = lastY - touch.clientY;
    element.scrollLeft += lastX - touch.clientX;
    lastX = touch.clientX;
    lastY = touch.clientY;
    speed = 0.8 * pixels + 0.2 * speed;
    move(pixels);
    event.preventDefault();
  };
  const end = () => {
    const glide = () => {
      speed *= FRICTION;
      if (Math.abs(speed) < SLOWEST) return;
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
