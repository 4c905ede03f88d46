'use client';
import { useCallback, useRef } from 'react';

/** How far from the end, in pixels, a reader is still taken to be at the end. */
export const NEAR_END = 40;

const TOUCHES = ['wheel', 'pointerdown', 'touchmove', 'keydown'] as const;

/**
 * Keeps the end of a scrolled list in view when the list itself gets another size: a message box below grows, a keyboard
 * opens, a phone is turned, and then every item is measured anew. The list follows what is added at its end by itself,
 * but takes another size for a reader who left the end. `toEnd` goes there. Either way it stays there, whatever grows,
 * until the reader touches the list.
 */
export function useTail() {
  const scroller = useRef<HTMLElement | null>(null);
  const stop = useRef<() => void>(() => {});
  const pinned = useRef(false);
  const toEnd = useCallback(() => {
    pinned.current = true;
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, []);
  /** The reader goes elsewhere: by touching the list, or by a jump that is made from outside it. */
  const leaveEnd = useCallback(() => {
    pinned.current = false;
  }, []);

  /** Give it to the list as the place where its scrolling element is handed over. */
  const attach = useCallback(
    (element: HTMLElement | Window | null) => {
      stop.current();
      scroller.current = null;
      if (!(element instanceof HTMLElement)) return;
      scroller.current = element;
      const isAtEnd = () => element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR_END;
      const roomNow = () => `${element.clientWidth} ${element.clientHeight}`;
      let room = roomNow();
      let atEnd = true;
      const onScroll = () => {
        // A scroll of the same moment as another size is not the reader's; the observer below hears of it first or next.
        if (roomNow() === room) atEnd = isAtEnd();
      };
      const resized = new ResizeObserver(() => {
        if (roomNow() !== room && atEnd) pinned.current = true;
        room = roomNow();
        if (pinned.current) element.scrollTop = element.scrollHeight;
      });
      resized.observe(element);
      for (const part of element.firstElementChild?.children ?? []) resized.observe(part);
      for (const touch of TOUCHES) element.addEventListener(touch, leaveEnd, { passive: true });
      element.addEventListener('scroll', onScroll, { passive: true });
      stop.current = () => {
        resized.disconnect();
        element.removeEventListener('scroll', onScroll);
        for (const touch of TOUCHES) element.removeEventListener(touch, leaveEnd);
      };
    },
    [leaveEnd],
  );
  return { attach, toEnd, leaveEnd };
}
