import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import type { EventLog } from './event-log.ts';
import { readEvents, trimEvents } from './events.ts';

export const eventLog = (engine: Engine): EventLog => bind(engine, { readEvents, trimEvents });
