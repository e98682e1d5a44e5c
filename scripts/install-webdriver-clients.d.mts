/** The folder with the packages of test/webdriver-clients. Programs in it can import them. */
export const WEBDRIVER_CLIENTS: string;
export function installWebDriverClients(): string;
