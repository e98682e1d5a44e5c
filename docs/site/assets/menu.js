// The menu is longer than a screen: what is open in it is brought into view. By hand, since `scrollIntoView` would also
// move the place from which the keyboard goes on.
const menu = document.querySelector('.menu');
const current = menu.querySelector('[aria-current]');
if (current && current.offsetTop > menu.clientHeight)
  menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
