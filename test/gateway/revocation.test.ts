import { sqliteDatabase } from '../store/databases.ts';
import { revocationSuite } from './revocation-suite.ts';

revocationSuite('SQLite', sqliteDatabase);
