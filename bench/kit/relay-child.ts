/** The stream gateway and one session's phone, in a process of their own. */
import { answerParent } from './child.ts';
import { openGateways } from './gateways.ts';
import { PacketSource, type SourceOptions } from './packet-source.ts';

/** There while the gateway has its link, which it has while someone watches. */
let linked = Promise.withResolvers<PacketSource>();

async function open(): Promise<{ port: number; path: string }> {
  const gateways = await openGateways((link) => {
    const source = new PacketSource((packet) => link.send(packet));
    link.onMessage(() => source.askKeyframe());
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
