/** mb_type of an I slice (Table 7-11). */
export const MB_TYPE_I_16X16 = 1;
export const MB_TYPE_I_PCM = 25;
/** In a P slice the intra types follow five inter types (Table 7-13). */
export const INTRA_TYPES_IN_P_SLICE = 5;
export const MB_TYPE_P_L0_16X16 = 0;
