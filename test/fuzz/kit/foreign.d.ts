// Declares the parts that the tests use of packages without types.
declare module 'tinyh264/es/TinyH264.js' {
  /** h264bsd, AOSP's decoder, compiled to WebAssembly. */
  export interface TinyH264 {
    HEAPU8: Uint8Array;
    _malloc(bytes: number): number;
    getValue(at: number, type: 'i32'): number;
    _h264bsdAlloc(): number;
    _h264bsdFree(decoder: number): void;
    _h264bsdInit(decoder: number, noReordering: 0 | 1): number;
    _h264bsdShutdown(decoder: number): void;
    _h264bsdDecode(
      decoder: number,
      bytes: number,
      length: number,
      picture: number,
      width: number,
      height: number,
    ): number;
  }
  // biome-ignore lint/style/noDefaultExport: the package has no other
  export default function load(): Promise<TinyH264>;
}
