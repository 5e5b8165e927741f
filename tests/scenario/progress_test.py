"""Waits go by the CPU that a test gets: they are longer where it gets less, and end where nothing goes on."""

import subprocess
import sys
import unittest

import progress


class FakeClock:
    """A wall clock, and threads that get a share of the CPU."""

    def __init__(self):
        self.now, self.ran, self.waited = 0.0, 0, 0
        self.clock = progress.Clock(lambda: self.now, lambda: {1: (self.ran, self.waited)})
        self.clock.seconds()

    def go_on(self, seconds, ran, waited):
        self.now += seconds
        self.ran += ran
        self.waited += waited
        return self.clock.seconds()


class Clock(unittest.TestCase):
    def test_runs_as_far_as_the_cpu_is_at_hand(self):
        fake = FakeClock()
        self.assertEqual(fake.go_on(10, 5, 0), 10)
        self.assertEqual(fake.go_on(10, 1, 3), 12.5)
        self.assertEqual(fake.go_on(10, 0, 0), 22.5, "nothing of the test wants the CPU")
        self.assertEqual(fake.go_on(0.5, 0, 5), 22.5, "it looks at most once a second")
        self.assertGreater(fake.go_on(100, 0, 5), 22.5, "it never stands still")

    def test_a_thread_that_is_new_counts_from_its_beginning_and_one_that_has_ended_not_at_all(self):
        self.assertEqual(progress.share({1: (100, 100), 2: (50, 0)}, {2: (60, 0), 3: (10, 20)}), 0.5)
        self.assertEqual(progress.share({1: (100, 100)}, {1: (5, 5)}), 1.0, "another thread has its number")

    def test_a_failed_wait_says_what_it_waited_for_and_for_how_long(self):
        fake = FakeClock()
        patience = progress.Patience(30, fake.clock)
        patience.check("rain")
        fake.go_on(60, 1, 0)
        with self.assertRaisesRegex(AssertionError, "rain; waited 60 s with the CPU at hand"):
            patience.check("rain")


class Processes(unittest.TestCase):
    PARENTS = {1: (0, "init"), 5: (1, "ctest"), 7: (5, "python3"), 8: (7, "receiptd"), 9: (8, "sh"), 10: (5, "python3"),
               20: (1, "postgres"), 21: (20, "postgres"), 22: (10, "postgres")}

    def test_are_its_own_and_the_databases_that_have_left_their_starters(self):
        self.assertEqual(progress.processes_of(7, self.PARENTS), {7, 8, 9, 20, 21})

    def test_their_ends_and_words_are_waited_for(self):
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1.5); exit(3)"])
        self.assertEqual(progress.ended(process), 3)
        done = progress.completed([sys.executable, "-c", "import time; time.sleep(1.5); print(input())"], text="word")
        self.assertEqual((done.returncode, done.stdout), (0, "word\n"))
        with self.assertRaisesRegex(AssertionError, "the end of .*sleep"):
            progress.completed([sys.executable, "-c", "import time; time.sleep(60)"], deadline=0.5)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
