"""Drives one phone with Selenium for Python, and prints what it saw."""

import json
import os

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.support.wait import WebDriverWait

options = ArgOptions()
options.set_capability("platformName", "Android")
options.set_capability("appium:newCommandTimeout", 300)
options.set_capability("phonebooth:options", {"duration": 10, "wait": 300})
key = os.environ["PHONEBOOTH_API_KEY"]
url = os.environ["PHONEBOOTH_WEBDRIVER_URL"].replace("://", f"://any:{key}@")
driver = webdriver.Remote(url, options=options)


def displays(text):
    return driver.find_element(By.XPATH, f'//*[@resource-id="display" and @text="{text}"]')


try:
    driver.implicitly_wait(60)
    driver.execute_script("mobile: activateApp", {"appId": "com.phonebooth.calculator"})
    display = driver.find_element(By.ID, "display")
    for label in ["5", "+", "7", "="]:
        driver.find_element("accessibility id", label).click()
    displays("12")
    seen = {
        "result": display.text,
        "isShown": display.is_displayed(),
        "attribute": display.get_attribute("resource-id"),
        "hasSize": display.rect["width"] > 0,
    }
    ActionChains(driver).move_to_element(driver.find_element("accessibility id", "C")).click().perform()
    displays("0")
    seen["picture"] = driver.get_screenshot_as_base64()[:8]
    driver.execute_script("mobile: activateApp", {"appId": "com.phonebooth.notes"})
    driver.find_element("accessibility id", "New note").click()
    field = driver.find_element(By.CLASS_NAME, "android.widget.EditText")
    field.send_keys("Grüße")
    WebDriverWait(driver, 60).until(lambda _: "Grüße" in field.text)
    driver.implicitly_wait(0)
    seen["isFound"] = len(driver.find_elements(By.ID, "nothing")) > 0
    try:
        display.text
        seen["isStale"] = False
    except StaleElementReferenceException:
        seen["isStale"] = True
    print(json.dumps(seen))
finally:
    driver.quit()
