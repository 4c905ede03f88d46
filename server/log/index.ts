/**
 * The log: the append-only record of facts, its projections and its outbox. Guarantees that facts, projections and
 * effects commit together or not at all, and that subscribers hear only of what is durable, in order. It knows no
 * event by name and must never perform an effect itself.
 */
export { createLog, type Effect, type Log, type Projection, type StoredEffect } from './log';
