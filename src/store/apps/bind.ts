import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { recordStoredSize, unmeasuredApps } from './app-storage.ts';
import type { AppStore } from './app-store.ts';
import {
  createApp,
  deleteApp,
  getApp,
  getKeptApp,
  listApps,
  purgeApps,
  requestApp,
  unneededApps,
} from './apps.ts';

export const appStore = (engine: Engine): AppStore =>
  bind(engine, {
    createApp,
    getApp,
    getKeptApp,
    listApps,
    deleteApp,
    unneededApps,
    purgeApps,
    unmeasuredApps,
    recordStoredSize,
    requestApp,
  });
