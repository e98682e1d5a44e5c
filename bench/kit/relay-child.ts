/** The stream gateway and the phone of one session, in a separate process. */
import { answerParent } from './child.ts';
import { openGateways } from './gateways.ts';
import { PacketSource, type SourceOptions } from './packet-source.ts';

/** Resolved while the gateway has its link, which it keeps as long as the session has a viewer. */
let linked = Promise.withResolvers<PacketSource>();

async function open(): Promise<{ port: number; path: string }> {
  const gateways = await openGateways((link) => {
    const source = new PacketSource((packet) => link.send(packet));
    link.onMessage(() => source.requestKeyframe());
    link.onClose(() => {
      source.stop();
      linked = Promise.withResolvers();
    });
    source.begin();
    linked.resolve(source);
  });
  return { port: gateways.port, path: gateways.addSession('session').stream };
}

answerParent({
  open,
  start: async (options: SourceOptions) => (await linked.promise).start(options),
  stop: async () => (await linked.promise).stop(),
});
