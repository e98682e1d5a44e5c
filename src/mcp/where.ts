import { Type } from 'typebox';

const fraction = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }));

const elementId = (description: string) => Type.Optional(Type.String({ maxLength: 20, description }));

/** The arguments that select an element or a point of the screen. */
export const where = {
  element: elementId('Id of an element from read_screen, such as "e12"'),
  x: fraction('Distance from the left edge as a fraction of the width, 0 to 1; with y, instead of element'),
  y: fraction('Distance from the top edge as a fraction of the height, 0 to 1; with x, instead of element'),
};

/** The arguments that select the end of a drag. */
export const whereTo = {
  to_element: elementId('Id of the element to drag to'),
  to_x: fraction('End of the drag; with to_y, instead of to_element'),
  to_y: fraction('End of the drag; with to_x, instead of to_element'),
};

/** The arguments that select both ends of a swipe. */
export const corners = {
  from_x: fraction('Start of the swipe; fractions as in tap'),
  from_y: fraction('Start of the swipe'),
  to_x: fraction('End of the swipe'),
  to_y: fraction('End of the swipe'),
};
