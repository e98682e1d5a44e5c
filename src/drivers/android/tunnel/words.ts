import { Duplex } from 'node:stream';

/** A stream that says this and ends, whatever it is told. */
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
