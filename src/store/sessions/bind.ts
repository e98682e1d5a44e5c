import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { connect } from './connect.ts';
import { listFleetSessions } from './fleet-sessions.ts';
import { reap } from './reaper.ts';
import type { SessionStore } from './session-store.ts';
import { end, extend, getSession, getSessions, listSessions } from './sessions.ts';
import { getUtilisation, sampleFleet } from './utilisation.ts';
import type { WatchLinkStore } from './watch-link-store.ts';
import { createWatchLink, getWatchLink, listWatchLinks, revokeWatchLink } from './watch-links.ts';

export const sessionStore = (engine: Engine): SessionStore & WatchLinkStore =>
  bind(engine, {
    connect,
    end,
    extend,
    getSession,
    getSessions,
    listSessions,
    listFleetSessions,
    reap,
    sampleFleet,
    getUtilisation,
    createWatchLink,
    getWatchLink,
    listWatchLinks,
    revokeWatchLink,
  });
