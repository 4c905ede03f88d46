/** The host's own log on stderr, one line an entry, through the one redactor (S-22). */
const SECRETS = /\b(odl|odc|odk)_[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9-]{16,}/g;

export const redact = (text: string): string => text.replace(SECRETS, '[secret]');

export interface Journal {
  info(message: string): void;
  warn(message: string, cause?: unknown): void;
}

export const stderrJournal: Journal = {
  info: (message) => process.stderr.write(`offdeck  ${redact(message)}\n`),
  warn: (message, cause) =>
    process.stderr.write(
      `offdeck! ${redact(cause === undefined ? message : `${message}: ${cause instanceof Error ? cause.message : String(cause)}`)}\n`,
    ),
};

export const silentJournal: Journal = { info: () => {}, warn: () => {} };
