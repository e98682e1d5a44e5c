// A button on each block of code. Browsers give the clipboard only to pages that came over TLS or from this machine.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => copy(block, button));
    block.append(button);
  }
}

async function copy(block, button) {
  try {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not copied';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}
