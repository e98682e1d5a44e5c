import { expect, test } from 'vitest';
import { parseTasks } from './tasks.ts';

test('lists the tasks outside the home stack on Android 7', () => {
  const text = `Stack id=0 bounds=[0,0][1080,1920] displayId=0 userId=0
  taskId=1: com.android.launcher3/com.android.launcher3.Launcher bounds=[0,0][1080,1920] userId=0 visible=false topActivity=null

Stack id=1 bounds=[0,0][1080,1920] displayId=0 userId=0
  taskId=6: com.android.chrome/org.chromium.chrome.browser.ChromeTabbedActivity bounds=[0,0][1080,1920] userId=0 visible=true
  taskId=7: org.acme.notes/org.acme.notes.MainActivity bounds=[0,0][1080,1920] userId=0 visible=false
`;
  expect(parseTasks(text)).toEqual([{ id: 1, packages: ['com.android.chrome', 'org.acme.notes'] }]);
});

test('lists the tasks that are not of type home on Android 12', () => {
  const text = `RootTask id=13 bounds=[0,0][1080,2400] displayId=0 userId=0
 configuration={1.0 ?mcc0mnc en_US winConfig={ mWindowingMode=fullscreen mActivityType=standard mAlwaysOnTop=undefined}}
  taskId=13: com.android.chrome/com.google.android.apps.chrome.Main bounds=[0,0][1080,2400] userId=0 visible=true

RootTask id=1 bounds=[0,0][1080,2400] displayId=0 userId=0
 configuration={1.0 ?mcc0mnc en_US winConfig={ mWindowingMode=fullscreen mActivityType=home mAlwaysOnTop=undefined}}
  taskId=3: com.android.launcher3/com.android.launcher3.Launcher bounds=[0,0][1080,2400] userId=0 visible=false
`;
  expect(parseTasks(text)).toEqual([{ id: 13, packages: ['com.android.chrome'] }]);
});
