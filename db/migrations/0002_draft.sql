ALTER TABLE `drafts` DROP COLUMN `by`;--> statement-breakpoint
ALTER TABLE `drafts` DROP COLUMN `at`;