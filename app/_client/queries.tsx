'use client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { ReactNode } from 'react';
import type { AppRouter } from '@/server/api/router';
import { api } from './api';

/*
 * What is asked for when it is looked at, as opposed to the board, which is followed. In a file of its own: the first
 * page does without it, and so without its weight.
 */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } },
});

/** Typed options for `useQuery`, with keys that are made from the procedure's name. */
export const trpc = createTRPCOptionsProxy<AppRouter>({ client: api(), queryClient });

export const Queries = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);
