// Scrolls the current page into view, because the menu is longer than a screen. `scrollIntoView` would also move the
// starting point of keyboard navigation.
const menu = document.querySelector('.menu');
const current = menu.querySelector('[aria-current]');
if (current && current.offsetTop > menu.clientHeight)
  menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
