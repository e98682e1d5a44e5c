/** Path of the endpoint of W3C WebDriver clients. It is not part of the versioned API. */
export const WEBDRIVER_PATH = '/wd/hub';
