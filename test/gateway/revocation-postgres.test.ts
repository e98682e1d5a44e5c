import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { postgresDatabase } from '../store/databases.ts';
import { revocationSuite } from './revocation-suite.ts';

revocationSuite('PostgreSQL', () => postgresDatabase(sharedPostgres));
