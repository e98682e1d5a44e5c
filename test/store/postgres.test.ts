import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { postgresDatabase } from './databases.ts';
import { storeSuite } from './suite.ts';

storeSuite('PostgreSQL', () => postgresDatabase(sharedPostgres));
