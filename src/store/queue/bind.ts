import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { borrow, cancelBorrow, nextTurn } from './borrow.ts';
import type { PhoneQueue } from './phone-queue.ts';
import { getQueueStandings } from './queue-standing.ts';
import { keepWaiting, leaveQueue } from './waiters.ts';

export const phoneQueue = (engine: Engine): PhoneQueue =>
  bind(engine, { borrow, nextTurn, getQueueStandings, keepWaiting, cancelBorrow, leaveQueue });
