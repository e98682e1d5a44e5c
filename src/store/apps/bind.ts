import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { listUnmeasuredApps, recordStoredSize } from './app-storage.ts';
import type { AppStore } from './app-store.ts';
import {
  createApp,
  deleteApp,
  getApp,
  getKeptApp,
  listApps,
  listUnneededApps,
  purgeApps,
  requestApp,
} from './apps.ts';

export const appStore = (engine: Engine): AppStore =>
  bind(engine, {
    createApp,
    getApp,
    getKeptApp,
    listApps,
    deleteApp,
    listUnneededApps,
    purgeApps,
    listUnmeasuredApps,
    recordStoredSize,
    requestApp,
  });
