import { z } from 'zod';

/**
 * The one error shape that crosses a wire. `message` says what happened, `hint` what to do about it; both are
 * shown to the person as they are. `cause` never leaves the process.
 */
export const ErrorCode = z.enum([
  'bad-input', // the request itself is wrong
  'not-found',
  'not-allowed', // the device lacks the scope
  'signed-out', // no device proof, or a revoked device
  'conflict', // somebody else was first, or the state moved on
  'missing-tool', // a program the host needs is absent or too old
  'untrusted', // the repository has not been trusted yet
  'unavailable', // try again later: busy, starting, shutting down
  'internal',
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

export const ErrorShape = z.object({ code: ErrorCode, message: z.string(), hint: z.string().optional() });
export type ErrorShape = z.infer<typeof ErrorShape>;

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  constructor(shape: { code: ErrorCode; message: string; hint?: string | undefined; cause?: unknown }) {
    super(shape.message, shape.cause === undefined ? undefined : { cause: shape.cause });
    this.name = 'AppError';
    this.code = shape.code;
    this.hint = shape.hint;
  }
  toShape(): ErrorShape {
    return this.hint === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, hint: this.hint };
  }
}
