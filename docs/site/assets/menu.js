// The menu is longer than a screen: what is open in it is brought into view.
document.querySelector('.menu [aria-current]')?.scrollIntoView({ block: 'nearest' });
