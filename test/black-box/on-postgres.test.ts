import { describe } from 'vitest';
import { useLocalTarget } from './kit/target.ts';
import { publicInterface } from './suite/public-interface.ts';

describe('the public interface, on PostgreSQL', () => publicInterface(useLocalTarget('PostgreSQL')));
