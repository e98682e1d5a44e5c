/**
 * Whether text from an untrusted source can be stored and displayed: it is well-formed Unicode on one line, without
 * control characters or characters that change the direction of text.
 */
export const isShowable = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(text);
