import { sqliteDatabase } from './databases.ts';
import { storeSuite } from './suite.ts';

storeSuite('SQLite', sqliteDatabase);
