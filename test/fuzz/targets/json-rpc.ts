import { isControlMethod } from '../../../src/contract/sockets/control-methods.ts';
import { RPC_ERRORS } from '../../../src/contract/sockets/rpc-errors.ts';
import { checkParams } from '../../../src/control-gateway/check-params.ts';
import { errorOf, parseRpc, RpcError } from '../../../src/control-gateway/json-rpc.ts';
import { type Target, unlessRefused } from '../engine/target.ts';
import { CALLS } from '../kit/control-samples.ts';

/** Parses a text message of a control socket. */
export const target: Target = {
  seeds: () => [...CALLS, CALLS.slice(0, 3)].map((message) => Buffer.from(JSON.stringify(message))),
  run: (input) => {
    const message = unlessRefused([RpcError], () => parseRpc(input.toString()));
    for (const one of message?.calls ?? []) {
      if (one instanceof RpcError || !isControlMethod(one.method)) continue;
      try {
        checkParams(one.method, one.params);
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== RPC_ERRORS.invalidParams) throw error;
        const { errors } = errorOf(null, error).error!.data as { errors: { field: string }[] };
        if (!errors.every(({ field }) => field.startsWith('params'))) throw new Error(JSON.stringify(errors));
      }
    }
  },
};
