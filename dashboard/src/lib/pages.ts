import type { Component } from 'svelte';
import type { Permission } from './types';

/* eslint-disable @typescript-eslint/no-explicit-any -- each page has its own properties, which its pattern gives it */
interface Page {
  pattern: string;
  title: string;
  load: () => Promise<{ default: Component<any> }>;
  names?: string[]; // of the properties that the {…} of the pattern become
}

/** The first that fits is shown. What few look at is loaded when it is looked at. */
export const pages: Page[] = [
  { pattern: '/', title: 'Overview', load: () => import('../pages/Overview.svelte') },
  { pattern: '/tasks', title: 'Tasks', load: () => import('../pages/Tasks.svelte') },
  { pattern: '/tasks/{id}', title: 'Task', load: () => import('../pages/TaskDetail.svelte'), names: ['id'] },
  { pattern: '/workflows', title: 'Workflows', load: () => import('../pages/Workflows.svelte') },
  { pattern: '/promises', title: 'Promises', load: () => import('../pages/Promises.svelte') },
  { pattern: '/dead-letters', title: 'Dead letters', load: () => import('../pages/DeadLetters.svelte') },
  { pattern: '/queues', title: 'Queues', load: () => import('../pages/Queues.svelte') },
  { pattern: '/queues/{name}', title: 'Queue', load: () => import('../pages/QueueDetail.svelte'), names: ['name'] },
  { pattern: '/schedules', title: 'Schedules', load: () => import('../pages/Schedules.svelte') },
  { pattern: '/schedules/{name}', title: 'Schedule', load: () => import('../pages/ScheduleDetail.svelte'), names: ['name'] },
  { pattern: '/workers', title: 'Workers', load: () => import('../pages/Workers.svelte') },
  { pattern: '/templates', title: 'Templates', load: () => import('../pages/Templates.svelte') },
  {
    pattern: '/templates/{namespace}/{name}',
    title: 'Template',
    load: () => import('../pages/TemplateDetail.svelte'),
    names: ['namespace', 'name'],
  },
  { pattern: '/identity', title: 'Identity', load: () => import('../pages/Identity.svelte') },
  { pattern: '/keys', title: 'API keys', load: () => import('../pages/Keys.svelte') },
  { pattern: '/audit', title: 'Audit log', load: () => import('../pages/Audit.svelte') },
];

export interface Place {
  path: string;
  text: string;
  key: string; // after g
  needs?: Permission;
}

export const places: { name: string; places: Place[] }[] = [
  {
    name: 'Watch',
    places: [
      { path: '/', text: 'Overview', key: 'o' },
      { path: '/tasks', text: 'Tasks', key: 't' },
      { path: '/workflows', text: 'Workflows', key: 'f' },
      { path: '/promises', text: 'Promises', key: 'p' },
      { path: '/dead-letters', text: 'Dead letters', key: 'd' },
    ],
  },
  { name: 'Understand', places: [{ path: '/identity', text: 'Identity', key: 'i' }] },
  {
    name: 'Arrange',
    places: [
      { path: '/queues', text: 'Queues', key: 'q' },
      { path: '/schedules', text: 'Schedules', key: 's' },
      { path: '/workers', text: 'Workers', key: 'w' },
      { path: '/templates', text: 'Templates', key: 'm' },
    ],
  },
  {
    name: 'Manage',
    places: [
      { path: '/keys', text: 'API keys', key: 'k', needs: 'admin' },
      { path: '/audit', text: 'Audit log', key: 'a', needs: 'admin' },
    ],
  },
];
