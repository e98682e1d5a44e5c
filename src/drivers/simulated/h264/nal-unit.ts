/** nal_unit_type, Table 7-1. Those of parameter sets are in contract/sockets/h264-config.ts. */
export const NAL_SLICE = 1;
export const NAL_IDR_SLICE = 5;

/**
 * Every unit that this encoder writes is needed to decode later ones, so nal_ref_idc always has the highest value.
 */
const NAL_REF_IDC = 3;
const START_CODE_AND_HEADER_BYTES = 5;

/**
 * Builds an Annex B NAL unit: a four-byte start code, the header, and the RBSP with an
 * emulation_prevention_three_byte before any byte of 0 to 3 that follows two zero bytes (clause 7.4.1).
 */
export function annexBNalUnit(type: number, rbsp: Uint8Array): Uint8Array {
  const unit = new Uint8Array(START_CODE_AND_HEADER_BYTES + rbsp.length + countEmulations(rbsp));
  unit[3] = 1;
  unit[4] = (NAL_REF_IDC << 5) | type;
  let length = START_CODE_AND_HEADER_BYTES;
  let zeros = 0;
  for (let i = 0; i < rbsp.length; i++) {
    const byte = rbsp[i];
    if (zeros === 2 && byte! <= 3) {
      unit[length++] = 3;
      zeros = 0;
    }
    unit[length++] = byte!;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return unit;
}

function countEmulations(rbsp: Uint8Array): number {
  let emulations = 0;
  let zeros = 0;
  for (let i = 0; i < rbsp.length; i++) {
    const byte = rbsp[i];
    if (zeros === 2 && byte! <= 3) {
      emulations++;
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return emulations;
}
