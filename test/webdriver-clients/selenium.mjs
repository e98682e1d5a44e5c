// Drives one phone with Selenium for JavaScript, and prints what it saw.
import { Builder, By, error as errors, until } from 'selenium-webdriver';
import { APP, KEY, LABELS, NOTES, OPTIONS } from './scenario.mjs';

const driver = await new Builder()
  .usingServer(process.env.PHONEBOOTH_WEBDRIVER_URL)
  .withCapabilities({
    ...{ platformName: 'Android', browserName: '', 'appium:newCommandTimeout': 300 },
    'phonebooth:options': { ...OPTIONS, apiKey: KEY },
  })
  .build();
/** Selenium has no function of its own for Appium's strategy. */
const label = (text) => new By('accessibility id', text);
const xpath = (text) => By.xpath(`//*[@resource-id="display" and @text="${text}"]`);
try {
  await driver.manage().setTimeouts({ implicit: 60_000 });
  await driver.executeScript('mobile: activateApp', { appId: APP });
  const display = await driver.findElement(By.id('display'));
  for (const text of LABELS) await driver.findElement(label(text)).click();
  await driver.findElement(xpath('12'));
  const key = await driver.findElement(label('C'));
  const result = await display.getText();
  const isShown = await display.isDisplayed();
  const attribute = await display.getAttribute('resource-id');
  const { width } = await display.getRect();
  await driver.actions({ async: false }).move({ origin: key }).press().pause(50).release().perform();
  await driver.findElement(xpath('0'));
  const picture = (await driver.takeScreenshot()).slice(0, 8);
  await driver.executeScript('mobile: activateApp', { appId: NOTES });
  await driver.findElement(label('New note')).click();
  const field = await driver.findElement(By.className('android.widget.EditText'));
  await field.sendKeys('Grüße');
  await driver.wait(until.elementTextContains(field, 'Grüße'), 60_000);
  await driver.manage().setTimeouts({ implicit: 0 });
  const isFound = (await driver.findElements(By.id('nothing'))).length > 0;
  const error = await display.getText().catch((caught) => caught);
  const isStale = error instanceof errors.StaleElementReferenceError;
  const seen = { ...{ result, isShown, attribute, hasSize: width > 0, picture, isFound }, isStale };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
} finally {
  await driver.quit();
}
