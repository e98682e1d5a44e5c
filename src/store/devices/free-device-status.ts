import { sql } from '../engine/engine.ts';

/** SQL version of deviceStatus() in domain/device-status.ts for a device without a live session. */
export const FREE_DEVICE_STATUS = sql`
  case when maintenance = 1 then 'maintenance'
    when present = 0 or usable = 0 then 'offline'
    when clean_epoch >= epoch then 'available'
    else 'busy' end`;
