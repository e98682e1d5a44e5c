import { Duplex } from 'node:stream';

/** Creates a stream that outputs this text and ends, whatever is written to it. */
export function words(text: string): Duplex {
  let isSaid = false;
  return new Duplex({
    read() {
      if (!isSaid) this.push(text);
      isSaid = true;
      this.push(null);
    },
    write(_chunk, _encoding, done) {
      done();
    },
  });
}
