import type { Engine } from '../engine/engine.ts';
import { admitUser } from './admit-user.ts';
import { claimKey, endSignIn } from './sign-in-keys.ts';
import type { UserStore } from './user-store.ts';
import { changeUser, getUser, pageUsers } from './users.ts';

export function userStore(engine: Engine): UserStore {
  return {
    pageUsers: (query) => pageUsers(engine, query),
    getUser: (userId) => getUser(engine, userId),
    changeUser: (change, audit) => changeUser(engine, change, audit),
    admitUser: (command) => admitUser(engine, command),
    claimKey: (command, audit) => claimKey(engine, command, audit),
    endSignIn: (keyId, audit) => endSignIn(engine, keyId, audit),
  };
}
