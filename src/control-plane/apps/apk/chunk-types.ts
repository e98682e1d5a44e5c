/**
 * Types of chunks and values in compiled resources, and the size of an attribute in compiled XML.
 * Source: AOSP frameworks/base libs/androidfw/include/androidfw/ResourceTypes.h.
 */
export const STRING_POOL = 0x0001;
export const TABLE = 0x0002;
export const XML = 0x0003;
export const START_ELEMENT = 0x0102;
export const END_ELEMENT = 0x0103;
export const RESOURCE_MAP = 0x0180;
export const PACKAGE = 0x0200;
export const TYPE = 0x0201;

export const TYPE_REFERENCE = 0x01;
export const TYPE_STRING = 0x03;

export const ATTRIBUTE_BYTES = 20;
